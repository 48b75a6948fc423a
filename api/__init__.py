"""The API and the phone form. Naming the package loads none of it: a command needs little."""
