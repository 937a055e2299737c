-- CreateTable
CREATE TABLE "retention" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "days" INTEGER,
    "shorter_since" TIMESTAMPTZ(3),
    "kept_since" TIMESTAMPTZ(3),

    CONSTRAINT "retention_pkey" PRIMARY KEY ("tenant_id","environment")
);

ALTER TABLE "retention" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "retention" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "retention" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
