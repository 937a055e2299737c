-- The records that a bulk operation could not change: at most as many as it selects, 10,000.
ALTER TABLE platform.background_job ADD COLUMN errors jsonb NOT NULL DEFAULT '[]';
