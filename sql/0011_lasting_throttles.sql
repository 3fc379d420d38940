-- Oldest program that can run on it: 0.1.0

-- Throttles survive a crash and a failover: an unlogged table is empty after the one, and on the standby after the other.
-- Tries are counted in transactions of their own, which wait for no disk (synchronous_commit is off in them).

ALTER TABLE usershell.attempts SET LOGGED;
ALTER TABLE usershell.guesses SET LOGGED; -- after the table that it refers to
