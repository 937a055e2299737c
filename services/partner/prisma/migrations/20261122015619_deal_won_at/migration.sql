-- AlterTable
ALTER TABLE "uncredited_deal" ADD COLUMN     "won_at" TIMESTAMPTZ(3);
