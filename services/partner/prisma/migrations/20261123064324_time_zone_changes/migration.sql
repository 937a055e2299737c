-- CreateTable
CREATE TABLE "time_zone_change" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "timezone" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "time_zone_change_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "time_zone_change_tenant_id_environment_since_id_idx" ON "time_zone_change"("tenant_id", "environment", "since", "id");

-- CreateIndex
CREATE UNIQUE INDEX "time_zone_change_tenant_id_environment_version_key" ON "time_zone_change"("tenant_id", "environment", "version");

ALTER TABLE "time_zone_change" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "time_zone_change" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "time_zone_change" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
