-- AlterTable
ALTER TABLE "referral" ADD COLUMN     "status" TEXT NOT NULL DEFAULT 'attributed';
