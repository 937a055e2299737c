-- CreateTable
CREATE TABLE "certificate" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "code" TEXT NOT NULL,
    "enrollment_id" BIGINT NOT NULL,
    "course_id" BIGINT NOT NULL,
    "learner_type" TEXT NOT NULL,
    "learner_id" BIGINT NOT NULL,
    "user_id" BIGINT,
    "learner_name" TEXT NOT NULL,
    "course_title" TEXT NOT NULL,
    "texts" JSONB NOT NULL DEFAULT '{}',
    "score" DOUBLE PRECISION,
    "status" TEXT NOT NULL DEFAULT 'valid',
    "issued_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),
    "revoked_by" BIGINT,
    "revoke_reason" TEXT,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "certificate_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "certificate_lookup" (
    "code_hash" TEXT NOT NULL,
    "owner_tenant_id" BIGINT NOT NULL,
    "owner_environment" TEXT NOT NULL,
    "certificate_id" BIGINT NOT NULL,

    CONSTRAINT "certificate_lookup_pkey" PRIMARY KEY ("code_hash")
);

-- CreateTable
CREATE TABLE "statistic_delta" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "course_id" BIGINT NOT NULL,
    "lesson_id" BIGINT NOT NULL DEFAULT 0,
    "learner_type" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "metric" TEXT NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "statistic_delta_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "statistic_rollup" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "course_id" BIGINT NOT NULL,
    "lesson_id" BIGINT NOT NULL DEFAULT 0,
    "learner_type" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "metric" TEXT NOT NULL,
    "value" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "statistic_rollup_pkey" PRIMARY KEY ("tenant_id","environment","course_id","day","lesson_id","learner_type","metric")
);

-- CreateIndex
CREATE INDEX "certificate_tenant_id_environment_created_at_id_idx" ON "certificate"("tenant_id", "environment", "created_at", "id");

-- CreateIndex
CREATE INDEX "certificate_tenant_id_environment_course_id_created_at_id_idx" ON "certificate"("tenant_id", "environment", "course_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "certificate_tenant_id_environment_status_created_at_id_idx" ON "certificate"("tenant_id", "environment", "status", "created_at", "id");

-- CreateIndex
CREATE INDEX "certificate_learner" ON "certificate"("tenant_id", "environment", "learner_type", "learner_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "certificate_tenant_id_environment_user_id_created_at_id_idx" ON "certificate"("tenant_id", "environment", "user_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "certificate_tenant_id_environment_enrollment_id_key" ON "certificate"("tenant_id", "environment", "enrollment_id");

-- CreateIndex
CREATE INDEX "statistic_delta_tenant_id_environment_course_id_day_idx" ON "statistic_delta"("tenant_id", "environment", "course_id", "day");

-- AddForeignKey
ALTER TABLE "certificate" ADD CONSTRAINT "certificate_tenant_id_environment_enrollment_id_fkey" FOREIGN KEY ("tenant_id", "environment", "enrollment_id") REFERENCES "enrollment"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "certificate" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "certificate" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "certificate" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "statistic_delta" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "statistic_delta" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "statistic_delta" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "statistic_rollup" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "statistic_rollup" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "statistic_rollup" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
