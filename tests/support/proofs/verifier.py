"""The verifier as a module, from the file that a server serves as `/verify.py`."""

from types import ModuleType

from api.verify.single_file import verifier_source

verify = ModuleType("verify")
exec(compile(verifier_source(), "verify.py", "exec"), vars(verify))
