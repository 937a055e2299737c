-- AlterTable
ALTER TABLE "enrollment" ADD COLUMN     "expiring_for" TIMESTAMPTZ(3);
