"""What people and programs touch: the command line and the pictures."""
