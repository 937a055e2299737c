-- AlterTable
ALTER TABLE "agent" ADD COLUMN     "deleted_at" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "approval" ADD COLUMN     "assignee" BIGINT,
ADD COLUMN     "edited_action" JSONB,
ADD COLUMN     "proposed_action" JSONB,
ADD COLUMN     "rationale" TEXT,
ADD COLUMN     "risk" TEXT NOT NULL DEFAULT 'medium';

-- AlterTable
ALTER TABLE "bulk_run" ADD COLUMN     "schedule_id" BIGINT;

-- AlterTable
ALTER TABLE "execution" ADD COLUMN     "schedule_id" BIGINT,
ADD COLUMN     "usage" JSONB;

-- AlterTable
ALTER TABLE "recommendation" ADD COLUMN     "effect" TEXT,
ADD COLUMN     "effect_error" JSONB,
ADD COLUMN     "opportunity_id" BIGINT,
ADD COLUMN     "performed_at" TIMESTAMPTZ(3),
ADD COLUMN     "proposal" JSONB,
ADD COLUMN     "task_id" BIGINT;

-- CreateTable
CREATE TABLE "agent_schedule" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "agent_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "cron" TEXT,
    "interval_value" INTEGER,
    "interval_unit" TEXT,
    "timezone" TEXT NOT NULL,
    "lead_ids" BIGINT[],
    "filter" JSONB,
    "after_lead_id" BIGINT,
    "input" JSONB,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3),
    "misfire" TEXT NOT NULL DEFAULT 'skip',
    "next_run_at" TIMESTAMPTZ(3),
    "last_run_at" TIMESTAMPTZ(3),
    "last_bulk_run_id" BIGINT,
    "last_error" JSONB,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_schedule_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "agent_schedule_tenant_id_environment_created_at_id_idx" ON "agent_schedule"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "agent_schedule_tenant_id_environment_name_id_idx" ON "agent_schedule"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE INDEX "agent_schedule_tenant_id_environment_agent_id_created_at_id_idx" ON "agent_schedule"("tenant_id", "environment", "agent_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "agent_schedule_tenant_id_environment_status_created_at_id_idx" ON "agent_schedule"("tenant_id", "environment", "status", "created_at", "id");

-- AddForeignKey
ALTER TABLE "agent_schedule" ADD CONSTRAINT "agent_schedule_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "agent_schedule" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "agent_schedule" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "agent_schedule" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
