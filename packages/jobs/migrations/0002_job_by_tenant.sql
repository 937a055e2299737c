-- Finds the tenants that have waiting jobs of one kind, and the oldest of each, without reading the backlog of any.
CREATE INDEX CONCURRENTLY IF NOT EXISTS job_waiting_by_tenant ON platform.job (name, tenant_id, environment, due_at) WHERE state = 'waiting';
