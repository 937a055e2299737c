ALTER TABLE "status_definition" VALIDATE CONSTRAINT "status_definition_tenant_id_environment_pipeline_id_fkey";
ALTER TABLE "status_definition" VALIDATE CONSTRAINT "status_definition_pipeline_check";
ALTER TABLE "opportunity" VALIDATE CONSTRAINT "opportunity_tenant_id_environment_pipeline_id_fkey";
