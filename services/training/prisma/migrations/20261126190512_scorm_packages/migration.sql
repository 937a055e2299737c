-- AlterTable
ALTER TABLE "lesson" ADD COLUMN     "scorm_package_id" BIGINT;

-- CreateTable
CREATE TABLE "scorm_package" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "id" BIGSERIAL NOT NULL,
    "file_id" BIGINT NOT NULL,
    "checksum_sha256" TEXT NOT NULL,
    "version" TEXT NOT NULL,
    "title" TEXT NOT NULL,
    "launch" TEXT NOT NULL,
    "mastery_score" DOUBLE PRECISION,
    "launch_data" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "scorm_package_pkey" PRIMARY KEY ("tenant_id","environment","id")
);

-- CreateTable
CREATE TABLE "scorm_entry" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "package_id" BIGINT NOT NULL,
    "path" TEXT NOT NULL,
    "start" BIGINT NOT NULL,
    "compressed_size" INTEGER NOT NULL,
    "size" INTEGER NOT NULL,
    "is_deflated" BOOLEAN NOT NULL,

    CONSTRAINT "scorm_entry_pkey" PRIMARY KEY ("tenant_id","environment","package_id","path")
);

-- CreateTable
CREATE TABLE "scorm_state" (
    "tenant_id" BIGINT NOT NULL DEFAULT platform.tenant_id(),
    "environment" TEXT NOT NULL DEFAULT platform.environment(),
    "enrollment_id" BIGINT NOT NULL,
    "lesson_id" BIGINT NOT NULL,
    "attempt_id" BIGINT NOT NULL,
    "session" INTEGER NOT NULL DEFAULT 0,
    "sequence" INTEGER NOT NULL DEFAULT 0,
    "runtime" JSONB,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "scorm_state_pkey" PRIMARY KEY ("tenant_id","environment","enrollment_id","lesson_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "scorm_package_tenant_id_environment_file_id_checksum_sha256_key" ON "scorm_package"("tenant_id", "environment", "file_id", "checksum_sha256");

-- AddForeignKey
ALTER TABLE "scorm_entry" ADD CONSTRAINT "scorm_entry_tenant_id_environment_package_id_fkey" FOREIGN KEY ("tenant_id", "environment", "package_id") REFERENCES "scorm_package"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "scorm_state" ADD CONSTRAINT "scorm_state_tenant_id_environment_enrollment_id_fkey" FOREIGN KEY ("tenant_id", "environment", "enrollment_id") REFERENCES "enrollment"("tenant_id", "environment", "id") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE "scorm_package" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "scorm_package" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "scorm_package" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "scorm_entry" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "scorm_entry" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "scorm_entry" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());

ALTER TABLE "scorm_state" ENABLE ROW LEVEL SECURITY;
ALTER TABLE "scorm_state" FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON "scorm_state" USING (tenant_id = platform.tenant_id() AND environment = platform.environment());
