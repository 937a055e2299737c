-- AlterTable
ALTER TABLE "bulk_run" ADD COLUMN     "cancelled_at" TIMESTAMPTZ(3),
ADD COLUMN     "completed_at" TIMESTAMPTZ(3),
ADD COLUMN     "retry_of" BIGINT;

-- AlterTable
ALTER TABLE "execution" ADD COLUMN     "cancel_reason" TEXT,
ADD COLUMN     "retry_of" BIGINT;
