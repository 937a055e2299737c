-- AlterTable
ALTER TABLE "campaign" ADD COLUMN     "end_at" TIMESTAMPTZ(3),
ADD COLUMN     "send_window" JSONB,
ADD COLUMN     "start_at" TIMESTAMPTZ(3),
ADD COLUMN     "timezone" TEXT;

-- AlterTable
ALTER TABLE "workflow" ADD COLUMN     "draft_version" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "published_trigger" TEXT,
ADD COLUMN     "published_version" INTEGER,
ADD COLUMN     "secret" TEXT,
ADD COLUMN     "settings" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "trigger_type" TEXT;

-- CreateTable
CREATE TABLE "workflow_version" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "workflow_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "nodes" JSONB NOT NULL,
    "edges" JSONB NOT NULL,
    "settings" JSONB NOT NULL,
    "published_by" BIGINT,
    "published_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_version_pkey" PRIMARY KEY ("tenant_id","environment","workflow_id","number")
);

-- CreateTable
CREATE TABLE "execution" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "workflow_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "campaign_id" BIGINT,
    "lead_id" BIGINT NOT NULL,
    "merged_from_lead_id" BIGINT,
    "status" TEXT NOT NULL DEFAULT 'running',
    "node_id" TEXT NOT NULL,
    "step" INTEGER NOT NULL DEFAULT 1,
    "entered_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "due_at" TIMESTAMPTZ(3),
    "waits_for" TEXT,
    "wake" INTEGER NOT NULL DEFAULT 1,
    "parked" BOOLEAN NOT NULL DEFAULT false,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "source" TEXT NOT NULL,
    "event_id" TEXT,
    "chain" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "payload" JSONB NOT NULL DEFAULT '{}',
    "end_reason" TEXT,
    "error" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "execution_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "execution_step" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "execution_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "node_id" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "input" JSONB NOT NULL DEFAULT '{}',
    "result" JSONB NOT NULL DEFAULT '{}',
    "skip_reason" TEXT,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "execution_step_pkey" PRIMARY KEY ("tenant_id","environment","execution_id","number")
);

-- CreateTable
CREATE TABLE "message" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "ref" UUID NOT NULL DEFAULT gen_random_uuid(),
    "execution_id" BIGINT,
    "workflow_id" BIGINT,
    "node_id" TEXT NOT NULL DEFAULT '',
    "campaign_id" BIGINT,
    "lead_id" BIGINT NOT NULL,
    "merged_from_lead_id" BIGINT,
    "channel" TEXT NOT NULL,
    "variant" TEXT,
    "template_id" BIGINT,
    "recipient" TEXT,
    "subject" TEXT,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "uncertain" BOOLEAN NOT NULL DEFAULT false,
    "simulated" BOOLEAN NOT NULL DEFAULT false,
    "skip_reason" TEXT,
    "error" TEXT,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "claimed_at" TIMESTAMPTZ(3),
    "sent_at" TIMESTAMPTZ(3),
    "delivered_at" TIMESTAMPTZ(3),
    "bounced_at" TIMESTAMPTZ(3),
    "complained_at" TIMESTAMPTZ(3),
    "opened_at" TIMESTAMPTZ(3),
    "clicked_at" TIMESTAMPTZ(3),
    "replied_at" TIMESTAMPTZ(3),
    "unsubscribed_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "message_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "engagement" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "type" TEXT NOT NULL,
    "lead_id" BIGINT,
    "merged_from_lead_id" BIGINT,
    "message_id" BIGINT,
    "execution_id" BIGINT,
    "campaign_id" BIGINT,
    "workflow_id" BIGINT,
    "node_id" TEXT,
    "url" TEXT,
    "automated" BOOLEAN NOT NULL DEFAULT false,
    "source_id" TEXT NOT NULL DEFAULT gen_random_uuid(),
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "engagement_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "execution_tenant_id_environment_workflow_id_started_at_id_idx" ON "execution"("tenant_id", "environment", "workflow_id", "started_at", "id");

-- CreateIndex
CREATE INDEX "execution_tenant_id_environment_workflow_id_status_started__idx" ON "execution"("tenant_id", "environment", "workflow_id", "status", "started_at", "id");

-- CreateIndex
CREATE INDEX "execution_tenant_id_environment_workflow_id_lead_id_started_idx" ON "execution"("tenant_id", "environment", "workflow_id", "lead_id", "started_at", "id");

-- CreateIndex
CREATE INDEX "execution_tenant_id_environment_lead_id_id_idx" ON "execution"("tenant_id", "environment", "lead_id", "id");

-- CreateIndex
CREATE INDEX "execution_parked" ON "execution"("tenant_id", "environment", "workflow_id", "id") WHERE (parked);

-- CreateIndex
CREATE INDEX "execution_waits_for" ON "execution"("tenant_id", "environment", "lead_id", "waits_for") WHERE (waits_for IS NOT NULL);

-- CreateIndex
CREATE UNIQUE INDEX "execution_live" ON "execution"("tenant_id", "environment", "workflow_id", "lead_id") WHERE (status = ANY (ARRAY['running'::text, 'waiting'::text]));

-- CreateIndex
CREATE UNIQUE INDEX "execution_tenant_id_environment_workflow_id_event_id_key" ON "execution"("tenant_id", "environment", "workflow_id", "event_id");

-- CreateIndex
CREATE INDEX "message_tenant_id_environment_created_at_id_idx" ON "message"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "message_tenant_id_environment_status_created_at_id_idx" ON "message"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "message_tenant_id_environment_lead_id_created_at_id_idx" ON "message"("tenant_id", "environment", "lead_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "message_tenant_id_environment_campaign_id_created_at_id_idx" ON "message"("tenant_id", "environment", "campaign_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "message_tenant_id_environment_workflow_id_created_at_id_idx" ON "message"("tenant_id", "environment", "workflow_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "message_tenant_id_environment_lead_id_sent_at_idx" ON "message"("tenant_id", "environment", "lead_id", "sent_at");

-- CreateIndex
CREATE UNIQUE INDEX "message_tenant_id_environment_execution_id_node_id_lead_id_key" ON "message"("tenant_id", "environment", "execution_id", "node_id", "lead_id");

-- CreateIndex
CREATE UNIQUE INDEX "message_tenant_id_environment_ref_key" ON "message"("tenant_id", "environment", "ref");

-- CreateIndex
CREATE INDEX "engagement_tenant_id_environment_lead_id_type_at_idx" ON "engagement"("tenant_id", "environment", "lead_id", "type", "at");

-- CreateIndex
CREATE INDEX "engagement_tenant_id_environment_execution_id_type_idx" ON "engagement"("tenant_id", "environment", "execution_id", "type");

-- CreateIndex
CREATE INDEX "engagement_tenant_id_environment_message_id_type_idx" ON "engagement"("tenant_id", "environment", "message_id", "type");

-- CreateIndex
CREATE INDEX "engagement_tenant_id_environment_campaign_id_type_at_idx" ON "engagement"("tenant_id", "environment", "campaign_id", "type", "at");

-- CreateIndex
CREATE INDEX "engagement_tenant_id_environment_workflow_id_type_at_idx" ON "engagement"("tenant_id", "environment", "workflow_id", "type", "at");

-- CreateIndex
CREATE UNIQUE INDEX "engagement_tenant_id_environment_source_id_key" ON "engagement"("tenant_id", "environment", "source_id");

-- AddForeignKey
ALTER TABLE "workflow_version" ADD CONSTRAINT "workflow_version_tenant_id_environment_workflow_id_fkey" FOREIGN KEY ("tenant_id", "environment", "workflow_id") REFERENCES "workflow"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "execution" ADD CONSTRAINT "execution_tenant_id_environment_workflow_id_fkey" FOREIGN KEY ("tenant_id", "environment", "workflow_id") REFERENCES "workflow"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "execution_step" ADD CONSTRAINT "execution_step_tenant_id_environment_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "execution_id") REFERENCES "execution"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "workflow_version" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "workflow_version" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "workflow_version" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "execution" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "execution" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "execution" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "execution_step" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "execution_step" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "execution_step" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "message" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "message" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "message" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "engagement" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "engagement" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "engagement" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
