-- CreateTable
CREATE TABLE "milestone" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "opportunity_id" BIGINT NOT NULL,
    "title" TEXT NOT NULL,
    "description" TEXT,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "due_at" TIMESTAMPTZ(3),
    "owner_id" BIGINT,
    "order" INTEGER NOT NULL,
    "completed_at" TIMESTAMPTZ(3),
    "completed_by" BIGINT,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "milestone_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "exchange_rate" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "base" TEXT NOT NULL,
    "currency" TEXT NOT NULL,
    "rate" DOUBLE PRECISION NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "exchange_rate_pkey" PRIMARY KEY ("tenant_id","environment","base","currency")
);

-- CreateTable
CREATE TABLE "quota" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "period" TEXT NOT NULL,
    "owner_id" BIGINT,
    "team_id" BIGINT,
    "amount_minor" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "quota_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "forecast_submission" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "period" TEXT NOT NULL,
    "owner_id" BIGINT NOT NULL,
    "category" TEXT NOT NULL,
    "amount_minor" BIGINT NOT NULL,
    "currency" TEXT NOT NULL,
    "note" TEXT,
    "snapshot" JSONB NOT NULL,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "forecast_submission_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "milestone_tenant_id_environment_opportunity_id_order_id_idx" ON "milestone"("tenant_id", "environment", "opportunity_id", "order", "id");

-- CreateIndex
CREATE INDEX "milestone_tenant_id_environment_opportunity_id_created_at_i_idx" ON "milestone"("tenant_id", "environment", "opportunity_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "milestone_tenant_id_environment_opportunity_id_due_at_id_idx" ON "milestone"("tenant_id", "environment", "opportunity_id", "due_at", "id");

-- CreateIndex
CREATE INDEX "milestone_tenant_id_environment_owner_id_due_at_id_idx" ON "milestone"("tenant_id", "environment", "owner_id", "due_at", "id");

-- CreateIndex
CREATE INDEX "milestone_tenant_id_environment_due_at_id_idx" ON "milestone"("tenant_id", "environment", "due_at", "id");

-- CreateIndex
CREATE INDEX "quota_tenant_id_environment_period_id_idx" ON "quota"("tenant_id", "environment", "period", "id");

-- CreateIndex
CREATE INDEX "quota_tenant_id_environment_created_at_id_idx" ON "quota"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "quota_tenant_id_environment_period_created_at_id_idx" ON "quota"("tenant_id", "environment", "period", "created_at", "id");

-- CreateIndex
CREATE INDEX "quota_tenant_id_environment_owner_id_created_at_id_idx" ON "quota"("tenant_id", "environment", "owner_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "quota_tenant_id_environment_team_id_created_at_id_idx" ON "quota"("tenant_id", "environment", "team_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "forecast_submission_tenant_id_environment_created_at_id_idx" ON "forecast_submission"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "forecast_submission_tenant_id_environment_period_id_idx" ON "forecast_submission"("tenant_id", "environment", "period", "id");

-- CreateIndex
CREATE INDEX "forecast_submission_tenant_id_environment_period_created_at_idx" ON "forecast_submission"("tenant_id", "environment", "period", "created_at", "id");

-- CreateIndex
CREATE INDEX "forecast_submission_tenant_id_environment_owner_id_created__idx" ON "forecast_submission"("tenant_id", "environment", "owner_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "forecast_submission_tenant_id_environment_created_by_create_idx" ON "forecast_submission"("tenant_id", "environment", "created_by", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "quota_tenant_id_environment_period_owner_id_team_id_key" ON "quota"("tenant_id", "environment", "period", "owner_id", "team_id") NULLS NOT DISTINCT;

-- AddForeignKey
ALTER TABLE "milestone" ADD CONSTRAINT "milestone_tenant_id_environment_opportunity_id_fkey" FOREIGN KEY ("tenant_id", "environment", "opportunity_id") REFERENCES "opportunity"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "milestone" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "milestone" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "milestone" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "exchange_rate" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "exchange_rate" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "exchange_rate" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "quota" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "quota" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "quota" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "forecast_submission" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "forecast_submission" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "forecast_submission" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
