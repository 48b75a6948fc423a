"""The commands of `vola`, a module each; `api.cli.main` lists them."""
