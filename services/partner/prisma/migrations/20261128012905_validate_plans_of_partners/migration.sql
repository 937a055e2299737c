ALTER TABLE "partner" VALIDATE CONSTRAINT "partner_tenant_id_environment_plan_id_fkey";
