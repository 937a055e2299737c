-- AlterTable
ALTER TABLE "workflow" ADD COLUMN     "previous_secret" TEXT,
ADD COLUMN     "secret_rotated_at" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "workflow_trigger" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "workflow_id" BIGINT NOT NULL,
    "subject" TEXT NOT NULL,
    "wake" INTEGER NOT NULL,
    "ran_until" TIMESTAMPTZ(3),
    "state" JSONB,

    CONSTRAINT "workflow_trigger_pkey" PRIMARY KEY ("tenant_id","environment","workflow_id")
);

-- CreateTable
CREATE TABLE "trigger_member" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "workflow_id" BIGINT NOT NULL,
    "lead_id" BIGINT NOT NULL,

    CONSTRAINT "trigger_member_pkey" PRIMARY KEY ("tenant_id","environment","workflow_id","lead_id")
);

-- CreateTable
CREATE TABLE "sms_count" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "day" DATE NOT NULL,
    "messages" INTEGER NOT NULL,
    "granted" INTEGER NOT NULL,

    CONSTRAINT "sms_count_pkey" PRIMARY KEY ("tenant_id","environment")
);

-- AddForeignKey
ALTER TABLE "workflow_trigger" ADD CONSTRAINT "workflow_trigger_tenant_id_environment_workflow_id_fkey" FOREIGN KEY ("tenant_id", "environment", "workflow_id") REFERENCES "workflow"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "trigger_member" ADD CONSTRAINT "trigger_member_tenant_id_environment_workflow_id_fkey" FOREIGN KEY ("tenant_id", "environment", "workflow_id") REFERENCES "workflow"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "workflow_trigger" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "workflow_trigger" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "workflow_trigger" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "trigger_member" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "trigger_member" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "trigger_member" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "sms_count" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "sms_count" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "sms_count" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- When the encryption key changes, a background task seals the secrets of all tenants again. It works under the relay role,
-- which may read and replace the sealed columns, and nothing else of a workflow.
GRANT SELECT ("id", "secret", "previous_secret"), UPDATE ("secret", "previous_secret") ON "workflow" TO "tandem_campaign_relay";
CREATE POLICY reseal ON "workflow" TO "tandem_campaign_relay" USING (true);
