-- AlterTable
ALTER TABLE "commission" ADD COLUMN     "cancelled_at" TIMESTAMPTZ(3);
