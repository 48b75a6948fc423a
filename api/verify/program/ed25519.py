"""Ed25519 signatures (RFC 8032 §5.1): verification only.

It handles no secret, so it need not take the same time for every signature.
"""

from hashlib import sha512

Point = tuple[int, int, int, int]

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE_D = -121665 * pow(121666, -1, PRIME) % PRIME
SQRT_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)  # a square root of -1


def is_signature(key: bytes, message: bytes, signature: bytes) -> bool:
    """Return whether an Ed25519 signature is valid; strict: only canonical encodings of numbers
    are, and no key of small order, which fits signatures of any text."""
    start, scalar = signature[:32], int.from_bytes(signature[32:], "little")
    if len(signature) != 64 or scalar >= ORDER:
        return False
    try:
        x, y, z, t = decode_point(key)
    except ValueError:
        return False
    if multiply_point(8, (x, y, z, t))[0] == 0:
        return False
    challenge = int.from_bytes(sha512(start + key + message).digest(), "little") % ORDER
    commitment = add_points(
        multiply_point(scalar, BASE), multiply_point(challenge, (PRIME - x, y, z, PRIME - t))
    )
    return encode_point(commitment) == start


def decode_point(raw: bytes) -> Point:
    """Return the point with these 32 bytes, or raise ValueError where none has them."""
    number = int.from_bytes(raw, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= PRIME:
        raise ValueError
    square = (y * y - 1) * pow(CURVE_D * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * SQRT_MINUS_ONE % PRIME
    if (x * x - square) % PRIME or (x == 0 and sign):
        raise ValueError
    if x & 1 != sign:
        x = PRIME - x
    return x, y, 1, x * y % PRIME


def encode_point(point: Point) -> bytes:
    x, y, z, _ = point
    inverse = pow(z, -1, PRIME)
    x, y = x * inverse % PRIME, y * inverse % PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little")


def add_points(point: Point, addend: Point) -> Point:
    (x1, y1, z1, t1), (x2, y2, z2, t2) = point, addend
    a, b = (y1 - x1) * (y2 - x2) % PRIME, (y1 + x1) * (y2 + x2) % PRIME
    c, d = 2 * t1 * t2 * CURVE_D % PRIME, 2 * z1 * z2 % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME


def multiply_point(number: int, point: Point) -> Point:
    product = (0, 1, 1, 0)
    while number:
        if number & 1:
            product = add_points(product, point)
        point, number = add_points(point, point), number >> 1
    return product


BASE = decode_point((4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little"))
