-- AlterTable
ALTER TABLE "referral" ADD COLUMN     "flag_reason" TEXT;
