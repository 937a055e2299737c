ALTER TABLE "task" VALIDATE CONSTRAINT "task_tenant_id_environment_series_id_fkey";
