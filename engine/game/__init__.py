"""Games that people play: scenarios, games on disk, what a moderator does, reports and maps, rule tests."""
