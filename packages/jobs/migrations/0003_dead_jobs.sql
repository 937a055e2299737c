-- The dead are few among many: without this, counting them for the metrics would read the whole table.
CREATE INDEX job_dead ON platform.job (id) WHERE state = 'dead';
