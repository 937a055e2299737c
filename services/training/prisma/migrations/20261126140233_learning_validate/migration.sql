ALTER TABLE "lesson" VALIDATE CONSTRAINT "lesson_tenant_id_environment_module_id_fkey";
