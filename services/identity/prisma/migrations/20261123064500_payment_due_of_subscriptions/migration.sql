-- AlterTable
ALTER TABLE "subscription" ADD COLUMN     "payment_due" BOOLEAN NOT NULL DEFAULT false;
