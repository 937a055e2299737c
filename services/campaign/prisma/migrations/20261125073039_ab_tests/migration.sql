-- AlterTable
ALTER TABLE "form_submission" ADD COLUMN     "ab_test_id" BIGINT,
ADD COLUMN     "variant" TEXT;

-- AlterTable
ALTER TABLE "message" ADD COLUMN     "ab_test_id" BIGINT;

-- CreateTable
CREATE TABLE "ab_test" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "campaign_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "workflow_id" BIGINT,
    "node_id" TEXT,
    "landing_page_id" BIGINT,
    "variants" JSONB NOT NULL,
    "metric" TEXT NOT NULL,
    "sample_percent" INTEGER NOT NULL,
    "min_sample" INTEGER NOT NULL,
    "duration_hours" INTEGER NOT NULL,
    "confidence" DOUBLE PRECISION NOT NULL,
    "auto_promote" BOOLEAN NOT NULL,
    "contents" JSONB NOT NULL DEFAULT '{}',
    "baseline" TEXT,
    "winner_key" TEXT,
    "winner" JSONB,
    "decided_by" TEXT,
    "inconclusive" BOOLEAN NOT NULL DEFAULT false,
    "started_at" TIMESTAMPTZ(3),
    "ends_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ab_test_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "ab_test_visits" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "ab_test_id" BIGINT NOT NULL,
    "variant" TEXT NOT NULL,
    "visitors" INTEGER NOT NULL,

    CONSTRAINT "ab_test_visits_pkey" PRIMARY KEY ("tenant_id","environment","ab_test_id","variant")
);

-- CreateIndex
CREATE INDEX "ab_test_tenant_id_environment_campaign_id_created_at_id_idx" ON "ab_test"("tenant_id", "environment", "campaign_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "ab_test_tenant_id_environment_campaign_id_status_created_at_idx" ON "ab_test"("tenant_id", "environment", "campaign_id", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "ab_test_tenant_id_environment_workflow_id_node_id_ended_at_idx" ON "ab_test"("tenant_id", "environment", "workflow_id", "node_id", "ended_at");

-- CreateIndex
CREATE INDEX "ab_test_tenant_id_environment_landing_page_id_ended_at_idx" ON "ab_test"("tenant_id", "environment", "landing_page_id", "ended_at");

-- CreateIndex
CREATE UNIQUE INDEX "ab_test_running_node" ON "ab_test"("tenant_id", "environment", "workflow_id", "node_id") WHERE (status = 'running');

-- CreateIndex
CREATE UNIQUE INDEX "ab_test_running_page" ON "ab_test"("tenant_id", "environment", "landing_page_id") WHERE (status = 'running');

-- AddForeignKey
ALTER TABLE "ab_test" ADD CONSTRAINT "ab_test_tenant_id_environment_campaign_id_fkey" FOREIGN KEY ("tenant_id", "environment", "campaign_id") REFERENCES "campaign"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ab_test" ADD CONSTRAINT "ab_test_tenant_id_environment_workflow_id_fkey" FOREIGN KEY ("tenant_id", "environment", "workflow_id") REFERENCES "workflow"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ab_test" ADD CONSTRAINT "ab_test_tenant_id_environment_landing_page_id_fkey" FOREIGN KEY ("tenant_id", "environment", "landing_page_id") REFERENCES "landing_page"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "ab_test_visits" ADD CONSTRAINT "ab_test_visits_tenant_id_environment_ab_test_id_fkey" FOREIGN KEY ("tenant_id", "environment", "ab_test_id") REFERENCES "ab_test"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE "ab_test" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "ab_test" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "ab_test" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "ab_test_visits" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "ab_test_visits" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "ab_test_visits" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
