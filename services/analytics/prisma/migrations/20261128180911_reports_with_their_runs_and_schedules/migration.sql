-- CreateTable
CREATE TABLE "report" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "query" JSONB NOT NULL DEFAULT '{}',
    "wire_query" JSONB NOT NULL DEFAULT '{}',
    "visibility" TEXT NOT NULL,
    "team_id" BIGINT,
    "owner_id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "report_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "report_run" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "report_id" BIGINT NOT NULL,
    "schedule_id" BIGINT,
    "scheduled_for" TIMESTAMPTZ(3),
    "status" TEXT NOT NULL DEFAULT 'queued',
    "params" JSONB NOT NULL DEFAULT '{}',
    "wire_query" JSONB NOT NULL,
    "format" TEXT NOT NULL,
    "requester" JSONB,
    "result" JSONB,
    "export_id" BIGINT,
    "row_count" INTEGER,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "error_code" TEXT,
    "error_message" TEXT,
    "created_by" BIGINT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "completed_at" TIMESTAMPTZ(3),

    CONSTRAINT "report_run_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "report_schedule" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "report_id" BIGINT NOT NULL,
    "frequency" TEXT,
    "time" TEXT,
    "weekday" INTEGER,
    "day_of_month" INTEGER,
    "cron" TEXT,
    "timezone" TEXT NOT NULL,
    "format" TEXT NOT NULL,
    "user_ids" BIGINT[],
    "emails" TEXT[],
    "active" BOOLEAN NOT NULL DEFAULT true,
    "next_run_at" TIMESTAMPTZ(3),
    "last_run_at" TIMESTAMPTZ(3),
    "last_status" TEXT,
    "last_error" TEXT,
    "stopped_reason" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "report_schedule_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "report_tenant_id_environment_created_at_id_idx" ON "report"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "report_tenant_id_environment_name_id_idx" ON "report"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE INDEX "report_tenant_id_environment_type_created_at_id_idx" ON "report"("tenant_id", "environment", "type", "created_at", "id");

-- CreateIndex
CREATE INDEX "report_run_tenant_id_environment_report_id_created_at_id_idx" ON "report_run"("tenant_id", "environment", "report_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "report_run_tenant_id_environment_report_id_status_created_a_idx" ON "report_run"("tenant_id", "environment", "report_id", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "report_run_tenant_id_environment_status_idx" ON "report_run"("tenant_id", "environment", "status");

-- CreateIndex
CREATE INDEX "report_run_created_at_idx" ON "report_run"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "report_run_tenant_id_environment_schedule_id_scheduled_for_key" ON "report_run"("tenant_id", "environment", "schedule_id", "scheduled_for");

-- CreateIndex
CREATE INDEX "report_schedule_tenant_id_environment_report_id_created_at__idx" ON "report_schedule"("tenant_id", "environment", "report_id", "created_at", "id");

ALTER TABLE "report" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "report" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "report" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "report_run" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "report_run" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "report_run" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "report_schedule" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "report_schedule" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "report_schedule" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "report" ADD CONSTRAINT "report_visibility" CHECK ("visibility" IN ('private', 'team', 'tenant'));
ALTER TABLE "report_run" ADD CONSTRAINT "report_run_status"
    CHECK ("status" IN ('queued', 'running', 'completed', 'failed'));
ALTER TABLE "report_schedule" ADD CONSTRAINT "report_schedule_rule" CHECK (("frequency" IS NULL) <> ("cron" IS NULL)),
  ADD CONSTRAINT "report_schedule_next_run" CHECK ("active" = ("next_run_at" IS NOT NULL));

-- Runs are kept for 90 days. Housekeeping works under a role that sees no other rows, and of these only their age.
GRANT SELECT ("created_at"), DELETE ON "report_run" TO "tandem_analytics_relay";
CREATE POLICY purge ON "report_run" TO "tandem_analytics_relay" USING ("created_at" < now() - interval '90 days');
