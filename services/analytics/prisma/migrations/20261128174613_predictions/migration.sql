-- CreateTable
CREATE TABLE "lead_version" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "lead_id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL,
    "is_closed" BOOLEAN NOT NULL,
    "source" TEXT,
    "has_phone" BOOLEAN NOT NULL,
    "has_account" BOOLEAN NOT NULL,
    "has_partner" BOOLEAN NOT NULL,
    "has_owner" BOOLEAN NOT NULL,

    CONSTRAINT "lead_version_pkey" PRIMARY KEY ("tenant_id","environment","lead_id","version")
);

-- CreateTable
CREATE TABLE "prediction_model" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "reason" TEXT,
    "metrics" JSONB,
    "calibration" JSONB,
    "model" JSONB,
    "trained_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "prediction_model_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "prediction_model_tenant_id_environment_name_version_key" ON "prediction_model"("tenant_id", "environment", "name", "version");

ALTER TABLE "lead_version" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "lead_version" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "lead_version" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "prediction_model" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "prediction_model" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "prediction_model" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
