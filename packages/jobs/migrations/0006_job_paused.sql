-- Finds the paused jobs of a tenant that is resumed, and counts them for the metrics.
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_paused ON platform.job (tenant_id, environment) WHERE state = 'paused';
