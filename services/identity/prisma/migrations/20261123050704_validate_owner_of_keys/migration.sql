ALTER TABLE "api_key" VALIDATE CONSTRAINT "api_key_tenant_id_owner_id_fkey";
