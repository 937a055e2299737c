-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "lead" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "first_name" TEXT NOT NULL,
    "last_name" TEXT NOT NULL,
    "phone" TEXT,
    "source" TEXT,
    "status" TEXT NOT NULL DEFAULT 'new',
    "score" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "assigned_to" BIGINT,
    "custom_fields" JSONB NOT NULL DEFAULT '{}',
    "tags" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "external_id" TEXT,
    "created_by" BIGINT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_at" TIMESTAMPTZ(3),

    CONSTRAINT "lead_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "duplicate_pair" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "first_lead_id" BIGINT NOT NULL,
    "second_lead_id" BIGINT NOT NULL,
    "confidence" DOUBLE PRECISION NOT NULL,
    "matched_on" TEXT[],
    "status" TEXT NOT NULL DEFAULT 'open',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "duplicate_pair_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateIndex
CREATE INDEX "lead_tenant_id_environment_created_at_id_idx" ON "lead"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "lead_tenant_id_environment_email_idx" ON "lead"("tenant_id", "environment", "email");

-- CreateIndex
CREATE INDEX "lead_tenant_id_environment_phone_idx" ON "lead"("tenant_id", "environment", "phone");

-- CreateIndex
CREATE INDEX "duplicate_pair_tenant_id_environment_created_at_id_idx" ON "duplicate_pair"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "duplicate_pair_tenant_id_environment_first_lead_id_second_l_key" ON "duplicate_pair"("tenant_id", "environment", "first_lead_id", "second_lead_id");

-- AddForeignKey
ALTER TABLE "duplicate_pair" ADD CONSTRAINT "duplicate_pair_tenant_id_environment_first_lead_id_fkey" FOREIGN KEY ("tenant_id", "environment", "first_lead_id") REFERENCES "lead"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "duplicate_pair" ADD CONSTRAINT "duplicate_pair_tenant_id_environment_second_lead_id_fkey" FOREIGN KEY ("tenant_id", "environment", "second_lead_id") REFERENCES "lead"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "lead" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "lead" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "lead" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "duplicate_pair" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "duplicate_pair" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "duplicate_pair" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

-- What Prisma's schema cannot say. A possible duplicate has the same address or name in any case:
CREATE INDEX "lead_same_email" ON "lead" ("tenant_id", "environment", lower("email"));
CREATE INDEX "lead_same_name" ON "lead" ("tenant_id", "environment", lower("last_name"), lower("first_name"));
-- The list that everybody opens: what is not deleted, the newest first.
CREATE INDEX "lead_present" ON "lead" ("tenant_id", "environment", "created_at", "id") WHERE "deleted_at" IS NULL;
