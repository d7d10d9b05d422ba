"""Players, and what it takes to let them meet: any search by name, under any limit."""
