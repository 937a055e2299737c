-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "campaign" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "type" TEXT NOT NULL DEFAULT 'email',
    "status" TEXT NOT NULL DEFAULT 'draft',
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "campaign_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "workflow" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "campaign_id" BIGINT,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "nodes" JSONB NOT NULL,
    "edges" JSONB NOT NULL,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "workflow_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "landing_page" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "campaign_id" BIGINT,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "slug" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "sections" JSONB NOT NULL DEFAULT '[]',
    "seo" JSONB NOT NULL DEFAULT '{}',
    "style" JSONB NOT NULL DEFAULT '{}',
    "content" TEXT NOT NULL DEFAULT '',
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "landing_page_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "campaign_tenant_id_environment_created_at_id_idx" ON "campaign"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "campaign_tenant_id_environment_status_created_at_id_idx" ON "campaign"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "workflow_tenant_id_environment_created_at_id_idx" ON "workflow"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "workflow_tenant_id_environment_campaign_id_created_at_id_idx" ON "workflow"("tenant_id", "environment", "campaign_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "landing_page_tenant_id_environment_created_at_id_idx" ON "landing_page"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "landing_page_tenant_id_environment_campaign_id_created_at_i_idx" ON "landing_page"("tenant_id", "environment", "campaign_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "landing_page_tenant_id_environment_slug_key" ON "landing_page"("tenant_id", "environment", "slug");

-- AddForeignKey
ALTER TABLE "workflow" ADD CONSTRAINT "workflow_tenant_id_environment_campaign_id_fkey" FOREIGN KEY ("tenant_id", "environment", "campaign_id") REFERENCES "campaign"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "landing_page" ADD CONSTRAINT "landing_page_tenant_id_environment_campaign_id_fkey" FOREIGN KEY ("tenant_id", "environment", "campaign_id") REFERENCES "campaign"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "campaign" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "campaign" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "campaign" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "workflow" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "workflow" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "workflow" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "landing_page" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "landing_page" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "landing_page" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
