-- AlterTable
ALTER TABLE "connector_config" ADD COLUMN     "last_error" TEXT,
ADD COLUMN     "last_failure_at" TIMESTAMPTZ(3),
ADD COLUMN     "last_success_at" TIMESTAMPTZ(3);
