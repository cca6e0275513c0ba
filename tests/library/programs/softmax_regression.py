"""Three clouds of points told apart by softmax regression; the loss picks probabilities by index."""

import torch

torch.manual_seed(2)
centres = torch.tensor([[0.0, 2.0], [2.0, -1.0], [-2.0, -1.0]])
labels = torch.randint(0, 3, (150,))
X = centres[labels] + 0.7 * torch.randn(150, 2)
W, b = 0.01 * torch.randn(2, 3), torch.zeros(3)


def probabilities(X):
    scores = X @ W + b
    scores = scores - scores.max(dim=1, keepdim=True).values
    exponentials = scores.exp()
    return exponentials / exponentials.sum(1, keepdim=True)


for step in range(60):
    P = probabilities(X)
    loss = -P[torch.arange(len(X)), labels].log().mean()
    gradient = P.clone()
    gradient[range(len(X)), labels] -= 1
    gradient /= len(X)
    W -= X.T @ gradient
    b -= gradient.sum(0)
    if step % 20 == 0:
        print(step, round(loss.item(), 4))
predicted = probabilities(X).argmax(axis=1)
print("accuracy", (predicted.type(labels.dtype) == labels).float().mean())
confusion = torch.zeros(3, 3, dtype=torch.long)
confusion.index_put_((labels, predicted), torch.tensor(1), accumulate=True)
print(confusion)
