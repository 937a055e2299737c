-- AlterTable
ALTER TABLE "payout_item" ADD COLUMN     "account_requested_at" TIMESTAMPTZ(3);
