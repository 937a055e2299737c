-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "engagement_event" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "lead_id" BIGINT,
    "message_id" TEXT,
    "workflow_execution_id" TEXT,
    "timestamp" TIMESTAMPTZ(3) NOT NULL,
    "insert_id" TEXT,
    "properties" JSONB NOT NULL DEFAULT '{}',
    "automated" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "engagement_event_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "engagement_event_tenant_id_environment_timestamp_id_idx" ON "engagement_event"("tenant_id", "environment", "timestamp", "id");

-- CreateIndex
CREATE INDEX "engagement_event_tenant_id_environment_created_at_id_idx" ON "engagement_event"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "engagement_event_tenant_id_environment_lead_id_timestamp_idx" ON "engagement_event"("tenant_id", "environment", "lead_id", "timestamp");

-- CreateIndex
CREATE INDEX "engagement_event_tenant_id_environment_workflow_execution_i_idx" ON "engagement_event"("tenant_id", "environment", "workflow_execution_id");

-- CreateIndex
CREATE UNIQUE INDEX "engagement_event_tenant_id_environment_insert_id_key" ON "engagement_event"("tenant_id", "environment", "insert_id");

ALTER TABLE "engagement_event" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "engagement_event" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "engagement_event" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
