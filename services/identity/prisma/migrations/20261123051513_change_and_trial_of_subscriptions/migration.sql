-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "ends_at" TIMESTAMPTZ(3),
ADD COLUMN     "pending_change_at" TIMESTAMPTZ(3),
ADD COLUMN     "pending_plan_code" TEXT;
