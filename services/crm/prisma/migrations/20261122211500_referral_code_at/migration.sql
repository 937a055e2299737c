-- AlterTable
ALTER TABLE "lead" ADD COLUMN     "referral_code_at" TIMESTAMPTZ(3);
