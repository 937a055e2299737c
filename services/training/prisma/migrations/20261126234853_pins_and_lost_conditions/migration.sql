-- AlterTable
ALTER TABLE "attempt" ADD COLUMN     "file_checksums" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "enrollment_rule" ADD COLUMN     "conditions_lost" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "scorm_state" ADD COLUMN     "package_id" BIGINT;
