-- AlterTable
ALTER TABLE "tenant" ADD COLUMN     "suspend_reason" TEXT,
ADD COLUMN     "suspended_at" TIMESTAMPTZ(3);
