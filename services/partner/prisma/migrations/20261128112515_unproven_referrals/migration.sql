-- AlterTable
ALTER TABLE "referral" ADD COLUMN     "is_unproven" BOOLEAN NOT NULL DEFAULT false;
