-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "agent" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "description" TEXT,
    "config" JSONB NOT NULL,
    "approval_policy" TEXT NOT NULL DEFAULT 'never',
    "limits" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "agent_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "bulk_run" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "agent_id" BIGINT NOT NULL,
    "total" INTEGER NOT NULL,
    "accepted" INTEGER NOT NULL,
    "rejected" INTEGER NOT NULL,
    "scheduled_for" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "bulk_run_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "execution" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "agent_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "trigger" TEXT NOT NULL,
    "bulk_run_id" BIGINT,
    "lead_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'queued',
    "attempt" INTEGER NOT NULL DEFAULT 1,
    "approval_id" BIGINT,
    "input" JSONB,
    "output" JSONB,
    "steps" JSONB NOT NULL DEFAULT '[]',
    "error" JSONB,
    "source" TEXT NOT NULL DEFAULT 'template',
    "acting_user_id" BIGINT,
    "scheduled_for" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "execution_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "recommendation" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "execution_id" BIGINT NOT NULL,
    "agent_id" BIGINT NOT NULL,
    "lead_id" BIGINT NOT NULL,
    "action" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "confidence" DOUBLE PRECISION NOT NULL,
    "factors" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "dismiss_reason" TEXT,
    "decided_by" BIGINT,
    "decided_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "recommendation_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "approval" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "execution_id" BIGINT NOT NULL,
    "agent_id" BIGINT NOT NULL,
    "lead_id" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "comment" TEXT,
    "reason" TEXT,
    "decided_by" BIGINT,
    "decided_at" TIMESTAMPTZ(3),
    "requested_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "approval_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "agent_tenant_id_environment_created_at_id_idx" ON "agent"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "execution_tenant_id_environment_created_at_id_idx" ON "execution"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "execution_tenant_id_environment_agent_id_created_at_id_idx" ON "execution"("tenant_id", "environment", "agent_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "execution_tenant_id_environment_lead_id_created_at_id_idx" ON "execution"("tenant_id", "environment", "lead_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "execution_tenant_id_environment_bulk_run_id_status_idx" ON "execution"("tenant_id", "environment", "bulk_run_id", "status");

-- CreateIndex
CREATE INDEX "recommendation_tenant_id_environment_created_at_id_idx" ON "recommendation"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "recommendation_tenant_id_environment_lead_id_created_at_id_idx" ON "recommendation"("tenant_id", "environment", "lead_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "recommendation_tenant_id_environment_execution_id_key" ON "recommendation"("tenant_id", "environment", "execution_id");

-- CreateIndex
CREATE INDEX "approval_tenant_id_environment_status_requested_at_id_idx" ON "approval"("tenant_id", "environment", "status", "requested_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "approval_tenant_id_environment_execution_id_key" ON "approval"("tenant_id", "environment", "execution_id");

-- AddForeignKey
ALTER TABLE "bulk_run" ADD CONSTRAINT "bulk_run_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "execution" ADD CONSTRAINT "execution_tenant_id_environment_agent_id_fkey" FOREIGN KEY ("tenant_id", "environment", "agent_id") REFERENCES "agent"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "execution" ADD CONSTRAINT "execution_tenant_id_environment_bulk_run_id_fkey" FOREIGN KEY ("tenant_id", "environment", "bulk_run_id") REFERENCES "bulk_run"("tenant_id", "environment", "id") ON DELETE NO ACTION ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "recommendation" ADD CONSTRAINT "recommendation_tenant_id_environment_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "execution_id") REFERENCES "execution"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "approval" ADD CONSTRAINT "approval_tenant_id_environment_execution_id_fkey" FOREIGN KEY ("tenant_id", "environment", "execution_id") REFERENCES "execution"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "agent" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "agent" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "agent" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "bulk_run" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "bulk_run" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "bulk_run" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "execution" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "execution" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "execution" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "recommendation" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "recommendation" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "recommendation" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "approval" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "approval" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "approval" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- What Prisma's schema cannot say. An agent is at work for a lead once at a time:
CREATE UNIQUE INDEX "execution_live" ON "execution" ("tenant_id", "environment", "agent_id", "lead_id")
  WHERE "status" IN ('queued', 'running', 'awaiting_approval');
