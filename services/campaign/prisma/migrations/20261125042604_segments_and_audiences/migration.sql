-- CreateTable
CREATE TABLE "segment" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "description" TEXT,
    "type" TEXT NOT NULL,
    "conditions" JSONB NOT NULL DEFAULT '[]',
    "lead_count" INTEGER NOT NULL DEFAULT 0,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "segment_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "segment_lead" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "segment_id" BIGINT NOT NULL,
    "lead_id" BIGINT NOT NULL,

    CONSTRAINT "segment_lead_pkey" PRIMARY KEY ("tenant_id","environment","segment_id","lead_id")
);

-- CreateTable
CREATE TABLE "audience_part" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "campaign_id" BIGINT NOT NULL,
    "is_excluded" BOOLEAN NOT NULL,
    "position" INTEGER NOT NULL,
    "segment_id" BIGINT,
    "lead_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[],
    "conditions" JSONB,

    CONSTRAINT "audience_part_pkey" PRIMARY KEY ("tenant_id","environment","campaign_id","is_excluded","position")
);

-- CreateIndex
CREATE INDEX "segment_tenant_id_environment_created_at_id_idx" ON "segment"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "segment_tenant_id_environment_updated_at_id_idx" ON "segment"("tenant_id", "environment", "updated_at", "id");

-- CreateIndex
CREATE INDEX "segment_tenant_id_environment_name_id_idx" ON "segment"("tenant_id", "environment", "name", "id");

-- CreateIndex
CREATE INDEX "segment_tenant_id_environment_type_created_at_id_idx" ON "segment"("tenant_id", "environment", "type", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "segment_tenant_id_environment_name_key" ON "segment"("tenant_id", "environment", "name");

-- CreateIndex
CREATE INDEX "audience_part_tenant_id_environment_segment_id_idx" ON "audience_part"("tenant_id", "environment", "segment_id");

-- AddForeignKey
ALTER TABLE "segment_lead" ADD CONSTRAINT "segment_lead_tenant_id_environment_segment_id_fkey" FOREIGN KEY ("tenant_id", "environment", "segment_id") REFERENCES "segment"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audience_part" ADD CONSTRAINT "audience_part_tenant_id_environment_campaign_id_fkey" FOREIGN KEY ("tenant_id", "environment", "campaign_id") REFERENCES "campaign"("tenant_id", "environment", "id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "audience_part" ADD CONSTRAINT "audience_part_tenant_id_environment_segment_id_fkey" FOREIGN KEY ("tenant_id", "environment", "segment_id") REFERENCES "segment"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "segment" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "segment" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "segment" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "segment_lead" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "segment_lead" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "segment_lead" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "audience_part" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "audience_part" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "audience_part" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
