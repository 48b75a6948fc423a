"""The form's own Ed25519 signatures are those of RFC 8032, and of another implementation."""

from __future__ import annotations

from random import Random

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from ledger.proofs.checkpoint import public_bytes
from tests.support.browser.form_sources import imported_module
from tests.support.browser.phone import Phone

# §7.1, TEST 1 to 3 and TEST SHA(abc): seed, key, message, signature
RFC_8032 = (
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
        "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
        "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
        "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b589"
        "09351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704",
    ),
)
RANDOM_MESSAGES = 150
SIGN = f"""async (pairs) => {{
  const [{{ fromHex, toHex }}, {{ isSignatureValid, publicKeyOf, signMessage }}] =
    await Promise.all([
      {imported_module("verify/bytes.js")}, {imported_module("verify/ed25519.js")},
    ]);
  return pairs.map(([seed, text]) => {{
    const [key, message] = [publicKeyOf(fromHex(seed)), fromHex(text)];
    const signature = signMessage(fromHex(seed), message);
    return [toHex(key), toHex(signature), isSignatureValid(key, message, signature)];
  }});
}}"""


def sign(phone: Phone, *pairs: tuple[str, str]) -> list[list[object]]:
    """Return each seed's key, its signature of the message, and whether the form accepts that."""
    phone.page.goto(phone.url + "/")
    signed: list[list[object]] = phone.page.evaluate(SIGN, [list(pair) for pair in pairs])
    return signed


def test_signatures_are_those_of_rfc_8032(phone: Phone) -> None:
    signed = sign(phone, *((seed, message) for seed, _, message, _ in RFC_8032))
    assert signed == [[key, signature, True] for _, key, _, signature in RFC_8032]


def test_signatures_are_those_of_another_implementation(phone: Phone) -> None:
    random = Random(8032)
    lengths = [*range(130), *(random.randrange(130, 5_000) for _ in range(RANDOM_MESSAGES - 130))]
    pairs = [(random.randbytes(32), random.randbytes(length)) for length in lengths]
    expected: list[list[object]] = []
    for seed, message in pairs:
        key = Ed25519PrivateKey.from_private_bytes(seed)
        expected.append([public_bytes(key).hex(), key.sign(message).hex(), True])
    assert sign(phone, *((seed.hex(), message.hex()) for seed, message in pairs)) == expected
    print(f"{len(pairs)} signatures, each the same as Python's")
