ALTER TABLE "campaign" VALIDATE CONSTRAINT "campaign_tenant_id_environment_sender_id_fkey";
