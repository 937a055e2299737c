-- AlterTable
ALTER TABLE "referral" ADD COLUMN     "cleared_at" TIMESTAMPTZ(3);
