ALTER TABLE "campaign" VALIDATE CONSTRAINT "campaign_tenant_id_environment_topic_id_fkey";
