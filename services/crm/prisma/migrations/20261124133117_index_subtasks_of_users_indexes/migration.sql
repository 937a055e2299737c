CREATE INDEX CONCURRENTLY IF NOT EXISTS "subtask_tenant_id_environment_assigned_to_task_id_id_idx" ON "subtask"("tenant_id", "environment", "assigned_to", "task_id", "id");
