-- AlterTable
ALTER TABLE "partner" ADD COLUMN     "unpaid" TEXT;
