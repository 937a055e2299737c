-- CreateTable
CREATE TABLE "model_usage_day" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "day" DATE NOT NULL,
    "tokens" BIGINT NOT NULL,

    CONSTRAINT "model_usage_day_pkey" PRIMARY KEY ("tenant_id","environment","day")
);

ALTER TABLE "model_usage_day" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "model_usage_day" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "model_usage_day" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
