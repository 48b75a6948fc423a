"""The commands of `vola`, a module each; `api.cli.command_line` lists them."""
